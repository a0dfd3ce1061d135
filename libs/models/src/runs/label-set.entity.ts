import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Each distinct set of `runs-on` labels that was ever asked for; small, read into memory and matched there. */
@Entity('label_set')
export class LabelSet {
  /** The first 53 bits of sha256 over the sorted, lower-cased labels. */
  @PrimaryColumn('bigint', { name: 'label_key' })
  labelKey!: number;

  @Column('text', { array: true })
  labels!: string[];
}
