import * as assets from '#sql/video/assets.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [findById('Video', '/app/videos', assets.find, { name: 'title' })]
