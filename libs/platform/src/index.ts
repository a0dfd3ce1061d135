export { migrateOnly, start, type Start } from './start';
export { type FeatureModule, type Service, type ServiceOptions, startService } from './service';
export { secretFile } from './data-folder';
