import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sha256Hex } from '@triphammer/foundation';
import type { BlobStore, ExpectedBlob } from './blob-store';
import { type ByteRange, UnsatisfiableRange } from './byte-range';
import { bytesOf, contentOf, inChunks, keyOf } from './sample-bodies';

const KIB = 1024;
const MIB = 1024 * KIB;
const HOUR_MS = 3_600_000;
/** Of tests with large bodies, on a busy machine. */
const PATIENCE_MS = 60_000;

export interface OpenedStore {
  readonly store: BlobStore;
  /** Every name that storage holds, of blobs, of staged bodies and of uploads that have not ended. */
  names(): Promise<readonly string[]>;
  /** Puts a text under a name, past the store. */
  plant(name: string, text: string): Promise<void>;
  /** Leaves behind what a process does that dies in the middle of a put; tells how many names that are. */
  abandon(): Promise<number>;
  close(): Promise<void>;
}

/** What every adapter promises. `open` gives a new, empty store. */
export function describeBlobStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let opened: OpenedStore;
    let store: BlobStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });

    afterEach(() => opened.close());

    describe('put', () => {
      it.each([
        ['nothing', 0],
        ['a byte', 1],
        ['64 KiB', 64 * KIB],
        ['8 MiB less a byte', 8 * MIB - 1],
        ['8 MiB', 8 * MIB],
        ['8 MiB and a byte', 8 * MIB + 1],
        ['40 MiB', 40 * MIB],
      ])(
        'keeps %s, whether the digest was announced or not',
        async (_, size) => {
          const [bytes, others] = [randomBytes(size), randomBytes(size)];
          const [digest, otherDigest] = [sha256Hex(bytes), sha256Hex(others)];

          expect(await store.put(inChunks(bytes))).toEqual({ digest, size });
          expect(await store.put(inChunks(others), { digest: otherDigest, size })).toEqual({ digest: otherDigest, size });

          expect(await contentOf(store, digest)).toEqual({ digest, size });
          expect(await contentOf(store, otherDigest)).toEqual({ digest: otherDigest, size });
          expect(await opened.names()).toEqual([...new Set([keyOf(digest), keyOf(otherDigest)])].sort());
        },
        PATIENCE_MS,
      );

      it.each([
        ['small', 10_000],
        ['large', 20 * MIB],
      ])(
        'refuses a %s body that is not what was announced, and leaves nothing of it',
        async (_, size) => {
          const bytes = randomBytes(size);
          const wrong: ExpectedBlob[] = [
            { size: size + 1 },
            { size: size - 1 },
            { size: 0 },
            { digest: sha256Hex('other') },
            { digest: sha256Hex(bytes), size: 1 },
          ];

          for (const expected of wrong) {
            await expect(store.put(inChunks(bytes), expected)).rejects.toMatchObject({ code: 'invalid-input' });
          }

          expect(await opened.names()).toEqual([]);
        },
        PATIENCE_MS,
      );

      it('does not read on when the body is too long', async () => {
        let given = 0;
        let closed = false;
        async function* endless() {
          try {
            for (;;) {
              given += 1;
              yield Buffer.alloc(64 * KIB);
            }
          } finally {
            closed = true;
          }
        }

        await expect(store.put(endless(), { size: 128 * KIB })).rejects.toMatchObject({ code: 'invalid-input' });

        expect({ given, closed }).toEqual({ given: 3, closed: true });
      });

      it.each([
        ['small', 10_000],
        ['large', 9 * MIB],
      ])(
        'does not write a %s blob again that is there',
        async (_, size) => {
          const bytes = randomBytes(size);
          const blob = { digest: sha256Hex(bytes), size };
          await opened.plant(keyOf(blob.digest), 'there');

          expect(await store.put(inChunks(bytes))).toEqual(blob);
          expect(await store.put(inChunks(bytes), blob)).toEqual(blob);

          expect(await store.stat(blob.digest)).toEqual({ digest: blob.digest, size: 'there'.length });
          expect(await opened.names()).toEqual([keyOf(blob.digest)]);
        },
        PATIENCE_MS,
      );

      it('checks a body all the same when its blob is there', async () => {
        const bytes = randomBytes(10_000);
        const blob = await store.put(inChunks(bytes));

        expect(await store.put(inChunks(bytes))).toEqual(blob);
        expect(await store.put(inChunks(bytes), blob)).toEqual(blob);
        await expect(store.put(inChunks(randomBytes(10_000)), { digest: blob.digest })).rejects.toMatchObject({ code: 'invalid-input' });
        await expect(store.put(inChunks(bytes), { digest: blob.digest, size: 9_999 })).rejects.toMatchObject({ code: 'invalid-input' });

        expect(await contentOf(store, blob.digest)).toEqual(blob);
        expect(await opened.names()).toEqual([keyOf(blob.digest)]);
      });

      it.each([
        ['early', 10_000],
        ['late', 20 * MIB],
      ])(
        'leaves nothing of a body that breaks off %s',
        async (_, size) => {
          const fault = new Error('the client is gone');
          async function* broken() {
            yield* inChunks(randomBytes(size));
            throw fault;
          }

          await expect(store.put(broken())).rejects.toBe(fault);
          await expect(store.put(broken(), { digest: sha256Hex('whatever') })).rejects.toBe(fault);

          expect(await opened.names()).toEqual([]);
        },
        PATIENCE_MS,
      );

      it('leaves nothing of a stream that is destroyed without a reason', async () => {
        const stream = new Readable({ read: () => undefined });
        stream.push(randomBytes(64 * KIB));
        const put = store.put(stream);

        setImmediate(() => stream.destroy());

        await expect(put).rejects.toThrow('Premature close');
        expect(await opened.names()).toEqual([]);
      });

      it.each([
        ['50 times the same small body', 50, MIB],
        ['4 times the same large body', 4, 20 * MIB],
      ])(
        'takes %s at once',
        async (_, times, size) => {
          const bytes = randomBytes(size);
          const blob = { digest: sha256Hex(bytes), size };
          const expectations = Array.from({ length: times }, (__, index) => (index % 2 === 0 ? {} : blob));

          const results = await Promise.all(expectations.map((expected) => store.put(inChunks(bytes), expected)));

          expect(results).toEqual(expectations.map(() => blob));
          expect(await contentOf(store, blob.digest)).toEqual(blob);
          expect(await opened.names()).toEqual([keyOf(blob.digest)]);
        },
        30_000,
      );
    });

    describe('open', () => {
      const bytes = Buffer.from(Array.from({ length: 100 }, (_, index) => index));
      let digest: string;

      beforeEach(async () => {
        digest = (await store.put(inChunks(bytes))).digest;
      });

      it.each<[string, ByteRange, number, number]>([
        ['the first bytes', { start: 0, end: 9 }, 0, 10],
        ['one byte', { start: 50, end: 50 }, 50, 1],
        ['bytes to the end', { start: 90 }, 90, 10],
        ['bytes to beyond the end', { start: 90, end: 1_000 }, 90, 10],
        ['the last bytes', { last: 7 }, 93, 7],
        ['more last bytes than there are', { last: 1_000 }, 0, 100],
      ])('reads %s', async (_, range, start, length) => {
        const blob = await store.open(digest, range);

        expect({ size: blob.size, start: blob.start, length: blob.length }).toEqual({ size: 100, start, length });
        expect(await bytesOf(blob.stream)).toEqual(bytes.subarray(start, start + length));
      });

      it.each<[string, ByteRange]>([
        ['begins behind the last byte', { start: 100 }],
        ['ends before it begins', { start: 9, end: 8 }],
        ['asks for the last none', { last: 0 }],
      ])('refuses a range that %s and tells the size', async (_, range) => {
        const refusal = await store.open(digest, range).catch((error: unknown) => error);

        expect(refusal).toBeInstanceOf(UnsatisfiableRange);
        expect(refusal).toMatchObject({ size: 100 });
      });

      it(
        'can be given up in the middle',
        async () => {
          const large = await store.put(inChunks(randomBytes(20 * MIB)));
          const { stream } = await store.open(large.digest);
          const closed = new Promise((resolve) => stream.once('close', resolve));
          for await (const _ of stream) break;
          await closed;

          expect(await contentOf(store, large.digest)).toEqual(large);
        },
        PATIENCE_MS,
      );

      it.each([[undefined], [{ start: 0 }]])('says not-found for what is not there, with the range %j', async (range) => {
        await expect(store.open(sha256Hex('never put'), range)).rejects.toMatchObject({ code: 'not-found' });
      });
    });

    it('tells what is there, and removes it', async () => {
      const blob = await store.put(inChunks(randomBytes(10_000)));
      expect(await store.stat(blob.digest)).toEqual(blob);

      await store.remove(blob.digest);
      await store.remove(blob.digest);

      expect(await store.stat(blob.digest)).toBeUndefined();
      await expect(store.open(blob.digest)).rejects.toMatchObject({ code: 'not-found' });
      expect(await opened.names()).toEqual([]);
    });

    it.each([
      ['empty', ''],
      ['a path', '../../etc/passwd'],
      ['a path of the right length', `../../${'a'.repeat(58)}`],
      ['too short', 'a'.repeat(63)],
      ['too long', 'a'.repeat(65)],
      ['upper case', 'A'.repeat(64)],
      ['followed by a new line', `${'a'.repeat(64)}\n`],
      ['with its algorithm', `sha256:${'a'.repeat(64)}`],
    ])('refuses a digest that is %s', async (_, digest) => {
      const refused = { code: 'invalid-input' };

      await expect(store.open(digest)).rejects.toMatchObject(refused);
      await expect(store.open(digest, { last: 1 })).rejects.toMatchObject(refused);
      await expect(store.stat(digest)).rejects.toMatchObject(refused);
      await expect(store.remove(digest)).rejects.toMatchObject(refused);
      await expect(store.signedUrl(digest)).rejects.toMatchObject(refused);
      await expect(store.put(inChunks(Buffer.from('x')), { digest })).rejects.toMatchObject(refused);
    });

    it('sweeps what an interrupted put left, by age, and no blob', async () => {
      const blob = await store.put(inChunks(randomBytes(10_000)));
      const left = await opened.abandon();

      expect(await store.sweepAbandoned(new Date(Date.now() - HOUR_MS))).toBe(0);
      expect(await opened.names()).toHaveLength(1 + left);
      expect(await store.sweepAbandoned(new Date(Date.now() + HOUR_MS))).toBe(left);

      expect(await opened.names()).toEqual([keyOf(blob.digest)]);
    });

    it('is ready', async () => {
      await expect(store.check()).resolves.toBeUndefined();
      expect(await opened.names()).toEqual([]);
    });
  });
}
