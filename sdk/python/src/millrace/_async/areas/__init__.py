# Made by `npm run sdk` from the document of the API.
from ..caller import AsyncCaller
from .account import AsyncAccount
from .ai import AsyncAi
from .bots import AsyncBots
from .directory import AsyncDirectory
from .email import AsyncEmail
from .erp import AsyncErp
from .files import AsyncFiles
from .geo import AsyncGeo
from .guard import AsyncGuard
from .identity import AsyncIdentity
from .notify import AsyncNotify
from .push import AsyncPush
from .trust import AsyncTrust
from .video import AsyncVideo
from .live import AsyncLive
from .rooms import AsyncRooms
from .voice import AsyncVoice
from .whatsapp import AsyncWhatsapp
from .wiki import AsyncWiki


class AsyncAreas:
    """Every area of the API."""

    def __init__(self, caller: AsyncCaller) -> None:
        self.account = AsyncAccount(caller)
        self.ai = AsyncAi(caller)
        self.bots = AsyncBots(caller)
        self.directory = AsyncDirectory(caller)
        self.email = AsyncEmail(caller)
        self.erp = AsyncErp(caller)
        self.files = AsyncFiles(caller)
        self.geo = AsyncGeo(caller)
        self.guard = AsyncGuard(caller)
        self.identity = AsyncIdentity(caller)
        self.notify = AsyncNotify(caller)
        self.push = AsyncPush(caller)
        self.trust = AsyncTrust(caller)
        self.video = AsyncVideo(caller)
        self.live = AsyncLive(caller)
        self.rooms = AsyncRooms(caller)
        self.voice = AsyncVoice(caller)
        self.whatsapp = AsyncWhatsapp(caller)
        self.wiki = AsyncWiki(caller)
