select account.fence_closed('files.image_settings');
select account.let_moves_pass();
