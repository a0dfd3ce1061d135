export { startTestService, TEST_SECRETS, type TestService } from './test-service';
export { createTestDatabase, type TestDatabase } from './test-database';
export { fakeClock, type FakeClock } from './fake-clock';
export { makeRepository, makeRun, makeRunner, newJob } from './make-run';
