-- The colour of buttons and links on an organisation’s public pages. Without it, pages have the colours of Millrace.
alter table account.orgs add column brand_color text
  constraint orgs_brand_color_check check (brand_color ~ '^#[0-9a-f]{6}$');
