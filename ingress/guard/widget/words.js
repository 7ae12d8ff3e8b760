const words = (start, working, done, expired, failed, denied, required) => ({
  start,
  working,
  done,
  expired,
  failed,
  denied,
  required,
})

const languages = {
  en: words(
    'Start the security check',
    'Checking…',
    'Security check passed',
    'The check has expired. Start it again',
    'The check failed. Try again',
    'The check was rejected',
    'Please complete the security check.',
  ),
  de: words(
    'Sicherheitsprüfung starten',
    'Wird geprüft …',
    'Sicherheitsprüfung bestanden',
    'Die Prüfung ist abgelaufen. Neu starten',
    'Die Prüfung ist gescheitert. Noch einmal versuchen',
    'Die Prüfung wurde abgelehnt',
    'Bitte schließen Sie die Sicherheitsprüfung ab.',
  ),
  fr: words(
    'Lancer la vérification de sécurité',
    'Vérification…',
    'Vérification réussie',
    'La vérification a expiré. La relancer',
    'La vérification a échoué. Réessayer',
    'La vérification a été refusée',
    'Veuillez terminer la vérification de sécurité.',
  ),
  es: words(
    'Iniciar la comprobación de seguridad',
    'Comprobando…',
    'Comprobación superada',
    'La comprobación ha caducado. Iniciarla de nuevo',
    'La comprobación ha fallado. Intentarlo de nuevo',
    'La comprobación ha sido rechazada',
    'Complete la comprobación de seguridad.',
  ),
  it: words(
    'Avvia il controllo di sicurezza',
    'Controllo in corso…',
    'Controllo superato',
    'Il controllo è scaduto. Avvialo di nuovo',
    'Il controllo non è riuscito. Riprova',
    'Il controllo è stato rifiutato',
    'Completa il controllo di sicurezza.',
  ),
  pt: words(
    'Iniciar a verificação de segurança',
    'A verificar…',
    'Verificação concluída',
    'A verificação expirou. Iniciar de novo',
    'A verificação falhou. Tentar de novo',
    'A verificação foi recusada',
    'Conclua a verificação de segurança.',
  ),
  pl: words(
    'Rozpocznij kontrolę bezpieczeństwa',
    'Sprawdzanie…',
    'Kontrola zakończona pomyślnie',
    'Kontrola wygasła. Rozpocznij ponownie',
    'Kontrola nie powiodła się. Spróbuj ponownie',
    'Kontrola została odrzucona',
    'Ukończ kontrolę bezpieczeństwa.',
  ),
  ja: words(
    'セキュリティ確認を開始',
    '確認中…',
    '確認が完了しました',
    '確認の有効期限が切れました。もう一度開始',
    '確認に失敗しました。再試行',
    '確認は拒否されました',
    'セキュリティ確認を完了してください。',
  ),
  ar: words(
    'ابدأ التحقق الأمني',
    'جارٍ التحقق…',
    'تم التحقق بنجاح',
    'انتهت صلاحية التحقق. ابدأ من جديد',
    'فشل التحقق. حاول مرة أخرى',
    'تم رفض التحقق',
    'يرجى إكمال التحقق الأمني.',
  ),
}

export function wordsFor(wanted) {
  for (const tag of wanted) {
    const language = String(tag ?? '')
      .toLowerCase()
      .split('-')[0]
    if (Object.hasOwn(languages, language)) return { language, ...languages[language] }
  }
  return { language: 'en', ...languages.en }
}
