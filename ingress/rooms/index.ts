import { area } from '../http/area.ts'
import * as broadcasts from './broadcasts.ts'
import * as client from './client.ts'
import * as connect from './connect.ts'
import { finders } from './dashboard/finders.ts'
import * as guestPages from './dashboard/guest-links.ts'
import * as restreamPages from './dashboard/restreams.ts'
import * as roomPages from './dashboard/room.ts'
import * as roomsPages from './dashboard/rooms.ts'
import * as guests from './guests.ts'
import * as join from './join.ts'
import * as pages from './pages.ts'
import * as participants from './participants.ts'
import * as recordings from './recordings.ts'
import { roomRegion } from './region.ts'
import * as restreams from './restreams.ts'
import * as ownRooms from './rooms.ts'
import * as tokens from './tokens.ts'
import * as waiting from './waiting.ts'

export const rooms = area({
  name: 'rooms',
  title: 'Rooms',
  description: 'Interactive rooms: join tokens, participants, broadcast and recording.',
  base: '/v1/stream',
  routes: {
    client,
    join,
    guests,
    rooms: ownRooms,
    broadcasts,
    restreams,
    recordings,
    tokens,
    connect,
    participants,
    waiting,
  },
  console: { sections: [pages.rooms], pages: { pages }, regions: { rooms: roomRegion } },
  dashboard: {
    finders,
    sections: [roomsPages.section],
    pages: { roomsPages, roomPages, guestPages, restreamPages },
    regions: { room: roomPages.dashboardRoomRegion },
  },
})
