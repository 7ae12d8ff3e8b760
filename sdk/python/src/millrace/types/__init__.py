# Made by `npm run sdk` from the document of the API.
"""The types of bodies and answers, one module per area."""

from . import account as account
from . import ai as ai
from . import bots as bots
from . import directory as directory
from . import email as email
from . import erp as erp
from . import events as events
from . import files as files
from . import geo as geo
from . import guard as guard
from . import identity as identity
from . import live as live
from . import notify as notify
from . import push as push
from . import rooms as rooms
from . import trust as trust
from . import video as video
from . import voice as voice
from . import webhooks as webhooks
from . import whatsapp as whatsapp
from . import wiki as wiki
