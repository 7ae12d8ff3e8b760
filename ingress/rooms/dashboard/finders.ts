import * as rooms from '#sql/rooms/rooms.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [findById('Room', '/app/rooms', rooms.find, { name: 'name' })]
