-- Images in the sizes that pages need: facts of each clean image, presets, and the stored variants.
create table files.images (
  object_id uuid primary key references files.objects (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  width integer check (width > 0),
  height integer check (height > 0),
  frames integer check (frames > 0),
  alpha boolean,
  blurhash text,
  fault text check (fault in ('damaged', 'too_many_pixels', 'too_complex')),
  strikes smallint not null default 0,
  created_at timestamptz not null default now(),
  check (fault is not null or strikes > 0 or (width is not null and height is not null and frames is not null and blurhash is not null))
);

comment on table files.images is 'Facts of the images among the objects. The ID is that of a version, whose bytes never change.';
comment on column files.images.width is 'Width in pixels after the EXIF orientation is applied.';
comment on column files.images.frames is 'Number of frames. 1 for a still image.';
comment on column files.images.fault is 'Why the image has no variants. Null if it has.';
comment on column files.images.strikes is 'How often the engine took too long or crashed on this image.';

create index if not exists images_org on files.images (org_id);

create table files.image_presets (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  width integer,
  height integer,
  fit text not null check (fit in ('inside', 'cover', 'contain', 'outside', 'fill')),
  position text not null,
  background text,
  format text not null check (format in ('auto', 'avif', 'webp', 'jpeg', 'png', 'gif')),
  quality integer check (quality between 1 and 100),
  enlarge boolean not null,
  animated boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, name)
);

comment on table files.image_presets is 'Named transformations of an organisation, used as ?preset=name.';

create index if not exists image_presets_newest on files.image_presets (org_id, id);

create table files.image_settings (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  only_presets boolean not null,
  updated_at timestamptz not null default now()
);

comment on column files.image_settings.only_presets is 'If true, URLs with other parameters need a signature.';

create table files.image_variants (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  object_id uuid not null references files.objects (id) on delete cascade,
  recipe text not null,
  state text not null default 'making' check (state in ('making', 'made', 'original', 'failed')),
  fault text,
  content_type text,
  width integer,
  height integer,
  byte_size bigint not null default 0 check (byte_size >= 0),
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  unique (object_id, recipe),
  check (state <> 'made' or (content_type is not null and width is not null and height is not null and byte_size > 0)),
  check ((state = 'failed') = (fault is not null))
);

comment on table files.image_variants is 'Transformed images in storage. The ID of the object is that of a version.';
comment on column files.image_variants.recipe is 'Canonical parameters: the same result has the same text.';
comment on column files.image_variants.state is 'original: the bytes of the object are served unchanged.';
comment on column files.image_variants.used_at is 'Last use, to a day.';

create index if not exists image_variants_unused on files.image_variants (used_at);
create index if not exists image_variants_org on files.image_variants (org_id, id);
create index if not exists image_variants_newest on files.image_variants (object_id, id);

create function files.count_variants() returns trigger language plpgsql as $$
begin
  perform account.add_stored(coalesce(new.org_id, old.org_id), coalesce(new.byte_size, 0) - coalesce(old.byte_size, 0));
  return null;
end
$$;

create trigger count_new after insert or delete on files.image_variants for each row execute function files.count_variants();

create trigger count_change after update of byte_size on files.image_variants for each row
  when (new.byte_size <> old.byte_size) execute function files.count_variants();

comment on table account.storage is 'Running totals, kept by triggers on video.assets, files.objects, files.image_variants and wiki.snapshots in the transaction of each change.';

select account.fence_closed('files.image_presets', 'files.image_variants');
select account.let_moves_pass();
