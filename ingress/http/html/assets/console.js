import { confirm } from './confirm.js'
import { drop } from './drop.js'
import { watch } from './live.js'
import { palette } from './palette.js'
import { plot } from './plots.js'
import { themeSwitch } from './theme-switch.js'

document.documentElement.classList.add('scripted')
confirm()
drop()
palette()
plot()
themeSwitch()
watch()
