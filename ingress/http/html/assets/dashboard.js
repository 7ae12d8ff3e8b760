import { followTabs } from './calls.js'
import { chat } from './chat.js'
import { confirm } from './confirm.js'
import { copy } from './copy.js'
import { drop } from './drop.js'
import { editor } from './editor.js'
import { fileText } from './file-text.js'
import { formPreview } from './form-preview.js'
import { idle } from './idle.js'
import { watch } from './live.js'
import { notes } from './notes.js'
import { pages } from './pages.js'
import { palette } from './palette.js'
import { pick } from './picker.js'
import { player } from './player.js'
import { plot } from './plots.js'
import { replies } from './replies.js'
import { segments } from './segments.js'
import { studio } from './studio.js'
import { fill, sure } from './sure.js'
import { tables } from './tables.js'
import { themeSwitch } from './theme-switch.js'
import { upload } from './upload.js'

document.documentElement.classList.add('scripted')
confirm()
chat()
copy()
followTabs()
fileText()
formPreview()
editor()
fill()
drop()
idle()
notes()
pages()
pick()
drop()
palette()
player()
plot()
replies()
studio()
tables()
themeSwitch()
segments()
sure()
upload()
watch()

// The server names the module of an element that a page shows.
const element = document.querySelector('[data-module]')
if (element) void import(element.dataset.module ?? '')
