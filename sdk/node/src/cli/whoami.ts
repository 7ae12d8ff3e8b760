import type { Connection } from './connection.ts'

/** The key of a connection, as the API returns it. */
export interface Identity {
  key: { id: string; name: string; mode: string; scopes: string[]; expires_at: string | null }
  organisation: { id: string; name: string }
}

export const whoAmI = ({ transport }: Pick<Connection, 'transport'>): Promise<Identity> =>
  transport.json<Identity>({ verb: 'GET', path: '/v1/account/whoami' })
