create index if not exists assets_clips_of_asset on video.assets ((clipped_from ->> 'assetId'), created_at desc, id desc)
  where clipped_from is not null;
-- Chunks of a broadcast are kept until clips that wait for them are cut.
create index if not exists assets_clips_of_broadcast on video.assets ((clipped_from ->> 'broadcastId'))
  where clipped_from is not null and status = 'processing';
