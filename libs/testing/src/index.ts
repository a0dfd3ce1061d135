export { createTestDatabase, type TestDatabase } from './test-database';
export { fakeClock, type FakeClock } from './fake-clock';
