import type { Prose } from './prose.ts'

/** The handbook of a library. */
export const french: Prose = {
  title: 'Manuel de la médiathèque de {place}',
  opening: 'Ce chapitre du manuel est destiné au personnel de {place}.',
  elsewhere: 'À {other}, on procède autrement, et leurs consignes ne valent pas ici.',
  topics: [
    [
      'Les livres empruntés sont rendus au bout de {value} jours.',
      'Un rappel est envoyé par courrier aux emprunteurs.',
      'Au bout de combien de jours faut-il rendre un livre emprunté à {place} ?',
    ],
    [
      'Les photocopies coûtent {value} centimes la page.',
      'Les photocopieuses sont éteintes le soir.',
      'Quel est le coût d’une photocopie à {place} ?',
    ],
    [
      'Les enfants de moins de {value} mois participent à l’heure du conte.',
      'La conteuse choisit des histoires courtes.',
      'Jusqu’à quel âge un enfant peut-il participer à l’heure du conte à {place} ?',
    ],
    [
      'Les manuscrits anciens sont conservés dans l’armoire numéro {value}.',
      'On porte des gants pour toucher un manuscrit.',
      'Dans quelle armoire conserve-t-on le manuscrit ancien à {place} ?',
    ],
    [
      'Une amende de {value} euros est due pour chaque disque rayé.',
      'Les disques sont nettoyés avec un chiffon doux.',
      'Quelle amende paie-t-on à {place} quand on a rayé des disques ?',
    ],
    [
      'Les bénévoles travaillent {value} heures par semaine au plus.',
      'Chaque bénévole signe une charte.',
      'Combien d’heures un bénévole travaille-t-il à {place} ?',
    ],
    [
      'L’ascenseur est vérifié tous les {value} jours par un technicien.',
      'Une panne d’ascenseur est signalée à la mairie.',
      'À quelle fréquence vérifie-t-on les ascenseurs de {place} ?',
    ],
    [
      'Les dons d’ouvrages sont reçus au guichet {value} du rez-de-chaussée.',
      'Les donateurs reçoivent une lettre de remerciement.',
      'À quel guichet de {place} puis-je faire un don d’ouvrages ?',
    ],
    [
      'La salle de lecture accueille {value} lecteurs à la fois.',
      'Le silence est demandé dans la salle.',
      'Combien de lecteurs la salle de lecture de {place} peut-elle accueillir ?',
    ],
    [
      'Les réservations expirent après {value} heures sans retrait.',
      'Un ouvrage réservé attend sur l’étagère bleue.',
      'Après combien d’heures ma réservation expire-t-elle à {place} ?',
    ],
    [
      'Les ordinateurs sont loués pour {value} minutes chacun.',
      'Les mots de passe des ordinateurs changent le lundi.',
      'Pour combien de minutes peut-on louer un ordinateur à {place} ?',
    ],
    [
      'Les classes scolaires sont guidées par {value} animatrices.',
      'Une visite guidée commence dans le hall.',
      'Par combien d’animatrices une classe scolaire est-elle guidée à {place} ?',
    ],
    [
      'La température des magasins est réglée à {value} degrés.',
      'L’humidité des magasins est relevée chaque matin.',
      'À quelle température règle-t-on le magasin de {place} ?',
    ],
    [
      'Les abonnements des retraités coûtent {value} euros par an.',
      'Un abonnement perdu est remplacé gratuitement.',
      'Combien coûte l’abonnement d’un retraité à {place} ?',
    ],
    [
      'Les reliures sont réparées à l’atelier numéro {value}.',
      'La colle des reliures sèche pendant une nuit.',
      'Quel atelier répare une reliure abîmée à {place} ?',
    ],
    [
      'Les expositions durent {value} semaines dans la galerie.',
      'Les tableaux d’une exposition sont assurés.',
      'Combien de semaines dure une exposition dans la galerie de {place} ?',
    ],
    [
      'Les réclamations reçoivent une réponse sous {value} jours ouvrables.',
      'La directrice lit toutes les réclamations.',
      'Sous combien de jours répond-on à une réclamation à {place} ?',
    ],
    [
      'Les sorties de secours s’ouvrent avec le badge {value}.',
      'Une sortie de secours n’est jamais encombrée.',
      'Avec quel badge ouvre-t-on une sortie de secours à {place} ?',
    ],
    [
      'Les journaux étrangers arrivent avec {value} heures de retard.',
      'Les journaux déchirés sont jetés.',
      'Avec quel retard le journal étranger arrive-t-il à {place} ?',
    ],
    [
      'Les malvoyants disposent de {value} loupes électroniques.',
      'Une loupe cassée est rapportée à l’accueil.',
      'De combien de loupes un malvoyant dispose-t-il à {place} ?',
    ],
  ],
  subjects: [
    'La bibliothécaire',
    'Le gardien',
    'La direction',
    'Chaque agent',
    'Une stagiaire',
    'Le service du soir',
    'La responsable',
    'Un collègue',
    'Le comptable',
    'L’équipe du matin',
  ],
  verbs: ['vérifie', 'range', 'note', 'prépare', 'transmet', 'rassemble', 'signe', 'compare', 'complète', 'classe'],
  objects: [
    'la liste des lecteurs',
    'le planning de la semaine',
    'les clés du bâtiment',
    'le rapport de la veille',
    'les formulaires de la mairie',
    'les dossiers du jour',
    'le compte rendu de la réunion',
    'les fournitures du sous-sol',
    'le plan des étages',
    'les messages du public',
  ],
  ends: [
    'avant l’ouverture des portes.',
    'dès que le public est parti.',
    'quand un collègue le demande.',
    'avec l’accord de la direction.',
    'bien que personne n’aime le faire.',
    'afin que rien ne se perde.',
    'à la fin du mois.',
    'sans consigne particulière.',
    'comme la loi l’exige.',
    'même les jours fériés.',
  ],
}
