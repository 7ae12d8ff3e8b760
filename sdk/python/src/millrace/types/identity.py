# Made by `npm run sdk` from the document of the API.
from __future__ import annotations

from typing import List, Literal, NotRequired, TypedDict


class Check(TypedDict):
    requirement: str
    status: Literal["processing", "verified", "rejected", "expired"]
    method: Literal["upload", "consent", "operator", "api", "webhook"] | None
    reason: CheckReason | None
    verified_at: str | None
    expires_at: str | None
    updated_at: str


class CheckReason(TypedDict):
    code: str
    reason: str


class Document(TypedDict):
    requirement: str
    subject: str | None
    """Null: the organisation itself"""
    object_id: str
    """The picture, an object of the files area"""
    status: Literal["waiting", "read", "unread"]
    """`waiting` until it was read; `unread`: nothing was, and `reason` says why"""
    reason: Literal["reader_unavailable", "reader_failed", "format_not_read", "unreadable_picture", "too_many_pixels", "too_small", "blurred", "no_lines", "unclear"] | None
    facts: DocumentFacts | None
    age: int | None
    """Whole years, today"""
    expired: bool | None
    checks: List[DocumentChecksItem]
    """Check digits of the fields and of all together, and whether both dates are days"""
    sound: bool
    """Whether all checks hold. It says that the lines were read right, not that the document is genuine"""
    shared_with: List[str]
    """Other subjects of yours who have handed in the same document, at most 100"""
    requested_at: str
    read_at: str | None


class DocumentFacts(TypedDict):
    format: Literal["TD1", "TD2", "TD3"]
    """Of ICAO 9303"""
    kind: Literal["passport", "card"]
    code: str
    """As the document has it: P, ID, AC …"""
    issuing_state: str
    """Three letters of ICAO 9303-3, part 5; D is Germany"""
    nationality: str
    surname: str
    given_names: str
    document_number: str
    birth_date: str | None
    """Null where the document names no day"""
    expiry_date: str | None
    sex: Literal["M", "F"] | None


class DocumentChecksItem(TypedDict):
    check: Literal["document_number", "birth_date", "expiry_date", "optional_data", "composite", "dates"]
    passed: bool


class RequirementsListReply(TypedDict):
    data: List[RequirementsListReplyDataItem]


class RequirementsListReplyDataItem(TypedDict):
    product: str
    title: str
    version: int
    level: int
    """How much is proven by it"""
    requirements: List[RequirementsListReplyDataItemRequirementsItem]


class RequirementsListReplyDataItemRequirementsItem(TypedDict):
    key: str
    title: str
    type: Literal["document", "selfie", "address", "consent"]
    text: str
    accepted: NotRequired[List[str]]
    valid_for_days: int | None
    depends_on: List[str]
    required: bool


class ReadinessReadReply(TypedDict):
    product: str
    subject: str | None
    """Null: the organisation itself"""
    ready: bool
    satisfied: List[str]
    currently_due: List[str]
    """Can be met now"""
    eventually_due: List[str]
    """Waits for others, ends within 30 days, or is not required"""
    past_due: List[str]
    """Was verified once and has ended"""
    pending_verification: List[str]
    """Handed in; nobody has decided yet"""
    errors: List[ReadinessReadReplyErrorsItem]
    next_step: ReadinessReadReplyNextStep | None


class ReadinessReadReplyErrorsItem(TypedDict):
    requirement: str
    code: str
    reason: str


class ReadinessReadReplyNextStep(TypedDict):
    requirement: str
    title: str
    action: Literal["upload_document", "take_photo", "give_consent"]
    prompt_url: str
    expires_at: str


class StatusReadReply(TypedDict):
    product: str
    subject: str | None
    """Null: the organisation itself"""
    status: Literal["unverified", "requires_input", "processing", "verified", "rejected", "expired"]
    """By what the product requires"""
    level: int
    """Of the products that the subject is ready for, the highest level; 0 for none"""
    checks: List[Check]
    updated_at: str | None


class FaceMatchCreateReply(TypedDict):
    match: bool
    decision: Literal["match", "no_match", "inconclusive"]
    similarity: float
    """1 − distance / 1.2"""
    distance: float
    """Euclidean distance of the two descriptors"""
    threshold: float
    faces: FaceMatchCreateReplyFaces
    liveness: Literal["not_performed"]
    model: FaceMatchCreateReplyModel
    images_stored: Literal[False]


class FaceMatchCreateReplyFaces(TypedDict):
    a: FaceMatchCreateReplyFacesA
    b: FaceMatchCreateReplyFacesB


class FaceMatchCreateReplyFacesA(TypedDict):
    bounding_box: FaceMatchCreateReplyFacesABoundingBox
    confidence: float
    count: int
    """Faces found; small ones behind the compared one do not count as a second"""
    quality: FaceMatchCreateReplyFacesAQuality


class FaceMatchCreateReplyFacesABoundingBox(TypedDict):
    x: int
    y: int
    width: int
    height: int


class FaceMatchCreateReplyFacesAQuality(TypedDict):
    sharpness: float
    brightness: float
    width_px: int
    """Of the face"""


class FaceMatchCreateReplyFacesB(TypedDict):
    bounding_box: FaceMatchCreateReplyFacesBBoundingBox
    confidence: float
    count: int
    """Faces found; small ones behind the compared one do not count as a second"""
    quality: FaceMatchCreateReplyFacesBQuality


class FaceMatchCreateReplyFacesBBoundingBox(TypedDict):
    x: int
    y: int
    width: int
    height: int


class FaceMatchCreateReplyFacesBQuality(TypedDict):
    sharpness: float
    brightness: float
    width_px: int
    """Of the face"""


class FaceMatchCreateReplyModel(TypedDict):
    name: str
    version: str
