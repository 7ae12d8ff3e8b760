-- Checks that the migrations before it left: rows are read through while others go on to write.
alter table video.assets validate constraint assets_bytes;
alter table video.captions validate constraint captions_source_check;
alter table rooms.rooms validate constraint rooms_chat_check;
alter table rooms.rooms validate constraint rooms_layout_check;
