import { v7 } from 'uuid'
import { z } from 'zod'

/** A new time-ordered id (UUID version 7, RFC 9562 §5.7), so that primary keys grow at one end of their index. */
export const newId = (): string => v7()

/** The schema of an id, on the wire and in rows. */
export const Id = z.guid()
