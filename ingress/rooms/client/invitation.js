import { askAbout, findRoom } from './link.js'
import { isFinal, RoomError } from './room-error.js'

const place = 'millrace.room.name'

/** Returns the unsigned claims of a token. The server verifies the token. */
export function claimsOf(token) {
  try {
    const bytes = Uint8Array.from(atob(token.split('.')[0].replace(/-/g, '+').replace(/_/g, '/')), (c) =>
      c.charCodeAt(0),
    )
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return {}
  }
}

/** In a frame from another site, storage may be unavailable. */
function rememberedName() {
  try {
    return localStorage.getItem(place) ?? ''
  } catch {
    return ''
  }
}

function rememberName(name) {
  try {
    localStorage.setItem(place, name)
  } catch {
    // If storage is unavailable, guests enter their name again next time.
  }
}

/** How this page joins its room: with a token, or as a guest with a link and a name. */
export class Invitation {
  #room
  #invite
  #token

  /** @param {{ roomId: string, token: string, invite: string }} given */
  constructor({ roomId, token, invite }) {
    this.#room = { roomId, base: location.origin }
    this.#token = token
    this.#invite = invite
  }

  get isForGuests() {
    return this.#invite !== ''
  }

  /** Name that the room shows, if it is already known. */
  get displayName() {
    return this.isForGuests ? rememberedName() : (claimsOf(this.#token).displayName ?? '')
  }

  /**
   * Returns the name of the room and the role. Throws a `RoomError` if the invitation does not work. A temporary
   * failure is not an error, because it may be over when the user joins.
   *
   * @returns {Promise<{ name?: string, role: string }>}
   */
  async check() {
    const { exp, role = 'participant' } = claimsOf(this.#invite || this.#token)
    if (exp * 1000 <= Date.now()) throw new RoomError('token_expired', 'The invitation has expired.')
    try {
      if (this.isForGuests) return await askAbout(this.#room, `guests?${new URLSearchParams({ invite: this.#invite })}`)
      const { name } = await findRoom({ ...this.#room, token: this.#token })
      return { name, role }
    } catch (error) {
      if (isFinal(error)) throw error
      return { role }
    }
  }

  /** Returns the token with which to join. A guest receives it for a name. */
  async token(name) {
    if (!this.isForGuests) return this.#token
    rememberName(name)
    const { token } = await askAbout(this.#room, 'guests', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ invite: this.#invite, displayName: name }),
    })
    return token
  }
}
