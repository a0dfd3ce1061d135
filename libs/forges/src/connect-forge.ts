import type { ForgeConnection, ForgeKind } from '@triphammer/models/forges';
import { type CheckedConnection, openToken } from './connections';
import type { Forge } from './forge';
import { gitForge } from './git/git-forge';
import { giteaForge } from './gitea/gitea-forge';
import type { SecretBox } from './secret-box';

type ForgeAddress = Pick<CheckedConnection, 'name' | 'url' | 'username' | 'token'>;

const ADAPTERS: Readonly<Record<ForgeKind, (address: ForgeAddress) => Forge>> = { gitea: giteaForge, git: gitForge };

/** A stored connection, ready for use. */
export function connectForge(secrets: SecretBox, connection: ForgeConnection): Forge {
  return openForge({ ...connection, token: openToken(secrets, connection) });
}

/** A connection that is not stored yet, to try it. */
export function openForge(connection: ForgeAddress & { readonly kind: ForgeKind }): Forge {
  return ADAPTERS[connection.kind](connection);
}
