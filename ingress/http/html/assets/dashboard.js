import { followTabs } from './calls.js'
import { confirm } from './confirm.js'
import { copy } from './copy.js'
import { drop } from './drop.js'
import { idle } from './idle.js'
import { watch } from './live.js'
import { palette } from './palette.js'
import { plot } from './plots.js'
import { studio } from './studio.js'
import { themeSwitch } from './theme-switch.js'
import { upload } from './upload.js'

document.documentElement.classList.add('scripted')
confirm()
copy()
drop()
followTabs()
idle()
palette()
plot()
studio()
themeSwitch()
upload()
watch()
