-- A claim asks whether a message is leased once it has locked the row, and must see a connection that was taken, and a lease that was
-- given, since its own snapshot: else two connections send the message.
alter function email.is_leased(uuid) volatile;
