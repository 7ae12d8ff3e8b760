import { restreamPages } from '../../restreams/dashboard.ts'
import { channel, create, remove, update } from '../restreams.ts'
import { section } from './channels.ts'

export const { askForTarget, add, on, off, forget, targetsSection, targetTable } = restreamPages({
  owner: channel,
  routes: { create, update, remove },
  section,
  path: '/live/{channel_id}',
  param: 'channel_id',
  texts: {
    summary: 'Add a restream target',
    title: 'Add a restream target',
    button: 'Add target',
    added: 'Restream target added.',
    one: 'restream target',
    turnedOn: 'Restream target turned on.',
    turnedOff: 'Restream target turned off.',
    listTitle: 'Restreams',
    addLink: 'Add restream target',
    caption: 'Restream targets of this channel',
  },
})
