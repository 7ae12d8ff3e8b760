import * as playlists from '#sql/directory/playlists.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [findById('Playlist', '/app/playlists', playlists.findOwn, { name: 'title' })]
