# Made by `npm run sdk` from the document of the API.
from ..caller import Caller
from .account import Account
from .ai import Ai
from .bots import Bots
from .directory import Directory
from .email import Email
from .erp import Erp
from .files import Files
from .geo import Geo
from .guard import Guard
from .identity import Identity
from .notify import Notify
from .push import Push
from .trust import Trust
from .video import Video
from .live import Live
from .rooms import Rooms
from .voice import Voice
from .whatsapp import Whatsapp
from .wiki import Wiki


class Areas:
    """Every area of the API."""

    def __init__(self, caller: Caller) -> None:
        self.account = Account(caller)
        self.ai = Ai(caller)
        self.bots = Bots(caller)
        self.directory = Directory(caller)
        self.email = Email(caller)
        self.erp = Erp(caller)
        self.files = Files(caller)
        self.geo = Geo(caller)
        self.guard = Guard(caller)
        self.identity = Identity(caller)
        self.notify = Notify(caller)
        self.push = Push(caller)
        self.trust = Trust(caller)
        self.video = Video(caller)
        self.live = Live(caller)
        self.rooms = Rooms(caller)
        self.voice = Voice(caller)
        self.whatsapp = Whatsapp(caller)
        self.wiki = Wiki(caller)
