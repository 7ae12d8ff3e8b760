import { confirm } from './confirm.js'
import { copy } from './copy.js'
import { editor } from './editor.js'
import { idle } from './idle.js'
import { watch } from './live.js'
import { plot } from './plots.js'
import { segments } from './segments.js'
import { studio } from './studio.js'
import { fill, sure } from './sure.js'
import { upload } from './upload.js'

document.documentElement.classList.add('scripted')
confirm()
copy()
editor()
fill()
idle()
plot()
segments()
studio()
sure()
upload()
watch()
