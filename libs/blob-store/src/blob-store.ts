import type { Readable } from 'node:stream';
import type { ByteRange } from './byte-range';

/**
 * Bytes under the name of their content. A digest is sha256 in 64 lower-case hex characters; anything else is refused with
 * Failure `invalid-input`. Storage that cannot be used throws Failure `unavailable`. Who may see a blob is not known here.
 */
export interface BlobStore {
  /**
   * Reads the body to its end and keeps it, durable, once this resolves. A blob that is there already stays as it is, but the
   * body is read and checked all the same. When the body fails or is not what was expected (Failure `invalid-input`), nothing of
   * it remains; a body that is too long is not read further, and its iterator is closed.
   */
  put(body: AsyncIterable<Uint8Array>, expected?: ExpectedBlob): Promise<StoredBlob>;

  /** The stream must be read or destroyed. Throws Failure `not-found`, and UnsatisfiableRange when no byte lies in the range. */
  open(digest: string, range?: ByteRange): Promise<OpenBlob>;

  /** Undefined: there is no such blob. */
  stat(digest: string): Promise<StoredBlob | undefined>;

  /** A blob that is not there counts as removed. Streams that are open may break. */
  remove(digest: string): Promise<void>;

  /** A URL that whoever has it can GET (not HEAD) until it expires, whether the blob exists or not; undefined where storage has no URLs. */
  signedUrl(digest: string, options?: SignedUrlOptions): Promise<string | undefined>;

  /** Removes what interrupted puts left, and tells how many: bodies that began before a time no put can be as old as. */
  sweepAbandoned(before: Date): Promise<number>;

  /** For readiness: throws Failure `unavailable` when, as far as one cheap question can tell, blobs cannot be kept. */
  check(): Promise<void>;
}

export interface StoredBlob {
  readonly digest: string;
  readonly size: number;
}

export interface ExpectedBlob {
  readonly digest?: string | undefined;
  readonly size?: number | undefined;
}

export interface OpenBlob {
  /** Of the whole blob. */
  readonly size: number;
  /** Where the stream's first byte lies in the blob, and how many bytes it has. */
  readonly start: number;
  readonly length: number;
  readonly stream: Readable;
}

export interface SignedUrlOptions {
  /** 20 minutes unless it is said. */
  readonly expiresSeconds?: number;
  /** The browser saves under this name. */
  readonly filename?: string;
  readonly contentType?: string;
}

/** Nest's token for the process's store. */
export const BLOB_STORE = Symbol('BlobStore');
