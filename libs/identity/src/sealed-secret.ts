import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Failure, sha256Hex } from '@triphammer/foundation';
import { deriveKey } from './derive-key';

const CIPHER = 'aes-256-gcm';
const FORMAT = 's1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_CHARACTERS = 8;

/** Seals and opens texts with one key; domains take it as a value, so that they know neither key nor cipher. */
export interface SecretBox {
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string;
}

export function secretBox(secretKey: string): SecretBox {
  return {
    seal: (text, context) => sealSecret(secretKey, text, context),
    open: (sealed, context) => openSecret(secretKey, sealed, context),
  };
}

/**
 * Encrypts `text` (AES-256-GCM) for storage, as `s1.<key id>.<base64url of nonce, tag and ciphertext>`. `context` says what it
 * is and whose; it is not stored, and the same one must be given to open the text, so a row cannot be put in another's place.
 */
export function sealSecret(secretKey: string, text: string, context: string): string {
  const key = sealingKey(secretKey);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return [FORMAT, keyId(key), Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')].join('.');
}

/** What was sealed. Throws `corrupt` when SECRET_KEY is not the one it was sealed with, or when text or context were changed. */
export function openSecret(secretKey: string, sealed: string, context: string): string {
  const key = sealingKey(secretKey);
  const [format, sealedWith, body] = sealed.split('.');
  if (format !== FORMAT || sealedWith === undefined || body === undefined)
    throw new Failure('corrupt', `The stored secret "${context}" has an unknown format.`);
  if (sealedWith !== keyId(key)) {
    throw new Failure(
      'corrupt',
      `The stored secret "${context}" was sealed with another SECRET_KEY (key ${sealedWith}, the present one is ${keyId(key)}). Start with the SECRET_KEY of that time, or enter the secret anew.`,
    );
  }
  return decipher(key, Buffer.from(body, 'base64url'), context);
}

function decipher(key: Buffer, bytes: Buffer, context: string): string {
  try {
    const opened = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([opened.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), opened.final()]).toString('utf8');
  } catch (error) {
    throw new Failure('corrupt', `The stored secret "${context}" was changed, or belongs elsewhere. Enter it anew.`, { cause: error });
  }
}

function sealingKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'sealed secrets');
}

/** Tells keys apart without saying anything about them. */
function keyId(key: Buffer): string {
  return sha256Hex(key).slice(0, KEY_ID_CHARACTERS);
}
