/**
 * Tables of the ledger. Keys are UTF-8 bytes, whose order is the order of a listing. A blob is a file of the same name.
 * `refs` counts its parts and object segments. A blob without references is garbage.
 */
export const schema = `
  create table if not exists blobs (
    id text primary key,
    refs integer not null
  ) without rowid;
  create index if not exists garbage on blobs (id) where refs = 0;

  create table if not exists objects (
    id integer primary key,
    bucket text not null,
    key blob not null,
    size integer not null,
    etag text not null,
    modified integer not null,
    headers text not null,
    checksum text,
    unique (bucket, key)
  );

  create table if not exists tags (
    object integer primary key references objects,
    tags text not null
  );

  create table if not exists segments (
    object integer not null references objects,
    position integer not null,
    start integer not null,
    size integer not null,
    blob text not null references blobs,
    primary key (object, position)
  ) without rowid;

  create table if not exists uploads (
    id text primary key,
    bucket text not null,
    key blob not null,
    created integer not null,
    headers text not null,
    algorithm text,
    completed text
  ) without rowid;
  create index if not exists uploads_by_key on uploads (bucket, key, id);

  create table if not exists parts (
    upload text not null references uploads,
    number integer not null,
    size integer not null,
    etag text not null,
    modified integer not null,
    checksum text,
    blob text not null references blobs,
    primary key (upload, number)
  ) without rowid;

  create table if not exists buckets (
    name text primary key,
    created integer not null
  ) without rowid;

  create table if not exists lifecycles (
    bucket text primary key,
    rules text not null
  ) without rowid;
`
