import { confirm } from './confirm.js'
import { copy } from './copy.js'
import { watch } from './live.js'
import { plot } from './plots.js'
import { upload } from './upload.js'

document.documentElement.classList.add('scripted')
confirm()
copy()
plot()
upload()
watch()
