export type { BlobStore, ExpectedBlob, OpenBlob, SignedUrlOptions, StoredBlob } from './blob-store';
export type { ByteRange } from './byte-range';
export { BLOB_STORE } from './blob-store';
