import * as articles from '#sql/wiki/articles.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [findById('Article', '/app/wiki', articles.find)]
