import { restreamPages } from '../../restreams/dashboard.ts'
import { create, remove, room, update } from '../restreams.ts'
import { section } from './rooms.ts'

export const { askForTarget, add, on, off, forget, targetsSection, targetTable } = restreamPages({
  owner: room,
  routes: { create, update, remove },
  section,
  path: '/rooms/{room_id}',
  param: 'room_id',
  texts: {
    summary: 'Broadcast a room to another platform',
    title: 'Broadcast to another platform',
    button: 'Start broadcast',
    added: 'Broadcast to this platform started.',
    one: 'room restream target',
    turnedOn: 'Broadcast to this platform started.',
    turnedOff: 'Broadcast to this platform stopped.',
    listTitle: 'Broadcasts to other platforms',
    addLink: 'Broadcast to another platform',
    caption: 'Restream targets',
  },
})
