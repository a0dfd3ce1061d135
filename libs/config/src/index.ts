export { SETTINGS, type SettingName } from './settings';
export { loadConfig, CONFIG, type Config } from './config';
export { renderSettingsPage, renderEnvExample } from './render-settings';
