import { confirm } from './confirm.js'
import { copy } from './copy.js'
import { watch } from './live.js'
import { notes } from './notes.js'
import { pages } from './pages.js'
import { plot } from './plots.js'
import { tables } from './tables.js'

document.documentElement.classList.add('scripted')
confirm()
copy()
notes()
pages()
plot()
tables()

import { drop } from './drop.js'
import { palette } from './palette.js'
import { themeSwitch } from './theme-switch.js'

drop()
palette()
themeSwitch()
watch()
