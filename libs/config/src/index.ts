export { SETTINGS, type SettingName } from './settings';
export { loadConfig, CONFIG, type Config, type KeepSecret, type SecretName } from './config';
export { renderSettingsPage, renderEnvExample } from './render-settings';
