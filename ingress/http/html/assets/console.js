import { confirm } from './confirm.js'
import { watch } from './live.js'
import { plot } from './plots.js'

document.documentElement.classList.add('scripted')
confirm()
plot()
watch()
