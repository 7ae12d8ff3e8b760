import type { ProfileName } from './profiles/index.ts'

/** Where a register's keeper publishes the file of a profile, and seconds between two looks. */
interface KnownSource {
  url: string
  everySeconds: number
}

const day = 86_400

/** The folder of the Estonian register's open data (avaandmed.ariregister.rik.ee), whose files are made anew each night. */
const estonian = (file: string): KnownSource => ({
  url: `https://avaandmed.ariregister.rik.ee/sites/default/files/avaandmed/ettevotja_rekvisiidid__${file}.zip`,
  everySeconds: day,
})

/** Where registers publish their files: by profile, as far as these have a keeper. */
export const knownSources: Readonly<Partial<Record<ProfileName, KnownSource>>> = {
  ee: estonian('lihtandmed.csv'),
  'ee-general': estonian('yldandmed.json'),
  'ee-officers': estonian('kaardile_kantud_isikud.json'),
  // Made thrice a day (gleif.org, Golden Copy); the address leads to the newest.
  gleif: {
    url: 'https://goldencopy.gleif.org/api/v2/golden-copies/publishes/lei2/latest.csv',
    everySeconds: day,
  },
  // Made in the first five working days of a month (download.companieshouse.gov.uk), under that month's first day.
  uk: {
    url: 'https://download.companieshouse.gov.uk/BasicCompanyDataAsOneFile-{month}-01.zip',
    everySeconds: day,
  },
}
