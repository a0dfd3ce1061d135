export { ensureOwner, type ForgeOwner, type OwnerRecord } from './ensure-owner';
export { sealSecret, openSecret, secretBox, type SecretBox } from './sealed-secret';
export { signJobToken, verifyJobToken, type JobTokenClaims } from './job-token';
export { authorizeAdmin } from './authorize-admin';
