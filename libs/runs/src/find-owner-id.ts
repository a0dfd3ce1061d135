import type { Sql } from '@triphammer/models';

/** The owner of this name, in whatever case it is written; undefined when there is none. */
export async function findOwnerId(sql: Sql, name: string): Promise<number | undefined> {
  const found = await sql.query<{ id: number }>({ name: 'owner-id-by-name', text: 'select id from owner where lower_name = lower($1)', values: [name] });
  return found.rows[0]?.id;
}
