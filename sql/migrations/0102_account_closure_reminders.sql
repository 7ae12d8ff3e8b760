alter table account.closures add column reminded_at timestamptz;

comment on column account.closures.reminded_at is 'Time of the reminder to the owners before the data is deleted.';
