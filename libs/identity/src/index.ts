export { ensureOwner } from './ensure-owner';
export { secretBox } from './sealed-secret';
export { signJobToken, verifyJobToken, type JobTokenClaims } from './job-token';
export { authorizeAdmin } from './authorize-admin';
