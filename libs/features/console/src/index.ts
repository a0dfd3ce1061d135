export { CONSOLE_API } from './console-api';
export { ConsoleModule } from './console.module';
