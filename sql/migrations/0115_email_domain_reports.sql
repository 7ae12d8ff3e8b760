create table email.dmarc_reports (
  id uuid primary key,
  org_id uuid not null,
  domain_id uuid not null references email.domains (id) on delete cascade,
  reporter text not null,
  reporter_email text,
  report_id text not null,
  sender text not null,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  policy_domain text not null,
  policy text,
  subdomain_policy text,
  percent integer,
  messages bigint not null,
  aligned bigint not null,
  sources integer not null,
  created_at timestamptz not null default now(),
  unique (domain_id, reporter, report_id)
);

comment on table email.dmarc_reports is 'Aggregate reports (RFC 7489 §7.2) about domains. Anyone can send a report, so each one names its reporter.';
comment on column email.dmarc_reports.sender is 'Envelope sender of the email that contained the report.';

create index dmarc_reports_domain on email.dmarc_reports (domain_id, id desc);
create index dmarc_reports_created on email.dmarc_reports (created_at);

create table email.dmarc_rows (
  id uuid primary key,
  org_id uuid not null,
  domain_id uuid not null,
  report_id uuid not null references email.dmarc_reports (id) on delete cascade,
  day date not null,
  source_ip text not null,
  count bigint not null,
  disposition text not null,
  dkim_aligned boolean not null,
  spf_aligned boolean not null,
  header_from text,
  envelope_from text,
  override text,
  spf_domain text,
  spf_result text,
  dkim_domain text,
  dkim_selector text,
  dkim_result text
);

create index dmarc_rows_newest on email.dmarc_rows (domain_id, id desc);
create index dmarc_rows_source on email.dmarc_rows (domain_id, source_ip, id desc);
create index dmarc_rows_disposition on email.dmarc_rows (domain_id, disposition, id desc);
create index dmarc_rows_dkim on email.dmarc_rows (domain_id, dkim_aligned, id desc);
create index dmarc_rows_spf on email.dmarc_rows (domain_id, spf_aligned, id desc);
create index dmarc_rows_report on email.dmarc_rows (report_id);
create index dmarc_rows_day on email.dmarc_rows (domain_id, day);

create table email.tls_reports (
  id uuid primary key,
  org_id uuid not null,
  domain_id uuid not null references email.domains (id) on delete cascade,
  reporter text not null,
  contact text,
  report_id text not null,
  sender text not null,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  successes bigint not null,
  failures bigint not null,
  policies jsonb not null,
  created_at timestamptz not null default now(),
  unique (domain_id, reporter, report_id)
);

comment on table email.tls_reports is 'Reports about the TLS of email to domains (RFC 8460).';

create index tls_reports_domain on email.tls_reports (domain_id, id desc);
create index tls_reports_created on email.tls_reports (created_at);

alter table email.domains add column dmarc_warned_on date;

comment on column email.domains.dmarc_warned_on is 'Last day (UTC) of the event email.domain.dmarc_failing.';

-- Names the domain in the address that receives its reports. A volatile default: each row gets its own value.
alter table email.domains add column report_mailbox text not null default replace(gen_random_uuid()::text, '-', '');

create unique index domains_report_mailbox on email.domains (report_mailbox);

select account.fence_closed('email.dmarc_reports', 'email.tls_reports');
select account.let_moves_pass();
