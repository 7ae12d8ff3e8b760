import { followTabs } from './calls.js'
import { confirm } from './confirm.js'
import { copy } from './copy.js'
import { idle } from './idle.js'
import { watch } from './live.js'
import { plot } from './plots.js'
import { studio } from './studio.js'
import { upload } from './upload.js'

document.documentElement.classList.add('scripted')
confirm()
copy()
followTabs()
idle()
plot()
studio()
upload()
watch()
