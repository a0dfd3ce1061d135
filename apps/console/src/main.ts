import { ConsoleModule } from '@triphammer/feature-console';
import { start } from '@triphammer/platform';

void start({ name: 'console', features: [ConsoleModule], migrations: 'demand' });
