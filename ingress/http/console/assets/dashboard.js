import { confirm } from './confirm.js'
import { copy } from './copy.js'
import { watch } from './live.js'
import { plot } from './plots.js'

document.documentElement.classList.add('scripted')
confirm()
copy()
plot()
watch()
