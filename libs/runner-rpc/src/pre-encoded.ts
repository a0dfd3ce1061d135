import { create, type DescMessage, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';

/** A reply whose binary form is made once and sent many times. Its message must not change any more. */
export class PreEncoded<Desc extends DescMessage> {
  readonly message: MessageShape<Desc>;
  readonly bytes: Buffer;

  constructor(schema: Desc, init: MessageInitShape<Desc>) {
    this.message = create(schema, init);
    this.bytes = Buffer.from(toBinary(schema, this.message));
  }
}
