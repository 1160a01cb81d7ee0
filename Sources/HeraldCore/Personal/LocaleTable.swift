// swift-format-ignore-file
// Written by Scripts/make-locales.py, from CLDR 47 in Babel 2.18.0. Do not change it by hand.

/// How languages write numbers and dates.
enum LocaleTable {
    /// One style a line, its parts between strokes: the tags, what separates groups of digits, the decimal sign, the
    /// digits in a group after the last three, the long date, the months. In a date, `%d` is the day, `%m`
    /// the month, `%D` and `%M` the same with two digits, `%B` the month's name, `%y` the year.
    static let text = """
        af af-Latn|\u{A0}|,|3|%D %B %y|Januarie,Februarie,Maart,April,Mei,Junie,Julie,Augustus,September,Oktober,November,Desember
        af-NA|\u{A0}|,|3|%d %B %y|Januarie,Februarie,Maart,April,Mei,Junie,Julie,Augustus,September,Oktober,November,Desember
        am am-Ethi|,|.|3|%d %B %y|ጃንዋሪ,ፌብሩዋሪ,ማርች,ኤፕሪል,ሜይ,ጁን,ጁላይ,ኦገስት,ሴፕቴምበር,ኦክቶበር,ኖቬምበር,ዲሴምበር
        ar ar-Arab|,|.|3|%d %B %y|يناير,فبراير,مارس,أبريل,مايو,يونيو,يوليو,أغسطس,سبتمبر,أكتوبر,نوفمبر,ديسمبر
        ar-DZ ar-TN|.|,|3|%d %B %y|جانفي,فيفري,مارس,أفريل,ماي,جوان,جويلية,أوت,سبتمبر,أكتوبر,نوفمبر,ديسمبر
        ar-IQ ar-JO ar-PS ar-SY|,|.|3|%d %B %y|كانون الثاني,شباط,آذار,نيسان,أيار,حزيران,تموز,آب,أيلول,تشرين الأول,تشرين الثاني,كانون الأول
        ar-LB|.|,|3|%d %B %y|كانون الثاني,شباط,آذار,نيسان,أيار,حزيران,تموز,آب,أيلول,تشرين الأول,تشرين الثاني,كانون الأول
        ar-LY|.|,|3|%d %B %y|يناير,فبراير,مارس,أبريل,مايو,يونيو,يوليو,أغسطس,سبتمبر,أكتوبر,نوفمبر,ديسمبر
        ar-MA|.|,|3|%d %B %y|يناير,فبراير,مارس,أبريل,ماي,يونيو,يوليوز,غشت,شتنبر,أكتوبر,نونبر,دجنبر
        ar-MR|.|,|3|%d %B %y|يناير,فبراير,مارس,إبريل,مايو,يونيو,يوليو,أغشت,شتمبر,أكتوبر,نوفمبر,دجمبر
        as as-Beng|,|.|2|%d %B, %y|জানুৱাৰী,ফেব্ৰুৱাৰী,মাৰ্চ,এপ্ৰিল,মে’,জুন,জুলাই,আগষ্ট,ছেপ্তেম্বৰ,অক্টোবৰ,নৱেম্বৰ,ডিচেম্বৰ
        az az-Latn|.|,|3|%d %B %y|yanvar,fevral,mart,aprel,may,iyun,iyul,avqust,sentyabr,oktyabr,noyabr,dekabr
        az-Cyrl|,|.|3|%d %B %y|јанвар,феврал,март,апрел,май,ијун,ијул,август,сентјабр,октјабр,нојабр,декабр
        be be-Cyrl|\u{A0}|,|3|%d %B %y\u{202F}г.|студзеня,лютага,сакавіка,красавіка,мая,чэрвеня,ліпеня,жніўня,верасня,кастрычніка,лістапада,снежня
        bg bg-Cyrl|\u{A0}|,|3|%d %B %y\u{202F}г.|януари,февруари,март,април,май,юни,юли,август,септември,октомври,ноември,декември
        bn bn-Beng|,|.|2|%d %B, %y|জানুয়ারী,ফেব্রুয়ারী,মার্চ,এপ্রিল,মে,জুন,জুলাই,আগস্ট,সেপ্টেম্বর,অক্টোবর,নভেম্বর,ডিসেম্বর
        bs bs-Latn|.|,|3|%d. %B %y.|januar,februar,mart,april,maj,juni,juli,august,septembar,oktobar,novembar,decembar
        bs-Cyrl|.|,|3|%D. %B %y.|јануар,фебруар,март,април,мај,јуни,јули,аугуст,септембар,октобар,новембар,децембар
        ca ca-Latn|.|,|3|%d %B del %y|de gener,de febrer,de març,d’abril,de maig,de juny,de juliol,d’agost,de setembre,d’octubre,de novembre,de desembre
        cs cs-Latn|\u{A0}|,|3|%d. %B %y|ledna,února,března,dubna,května,června,července,srpna,září,října,listopadu,prosince
        cy cy-Latn|,|.|3|%d %B %y|Ionawr,Chwefror,Mawrth,Ebrill,Mai,Mehefin,Gorffennaf,Awst,Medi,Hydref,Tachwedd,Rhagfyr
        da da-Latn|.|,|3|%d. %B %y|januar,februar,marts,april,maj,juni,juli,august,september,oktober,november,december
        de de-Latn|.|,|3|%d. %B %y|Januar,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember
        de-AT de-IT|.|,|3|%d. %B %y|Jänner,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember
        de-CH de-LI|’|.|3|%d. %B %y|Januar,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember
        el el-Grek|.|,|3|%d %B %y|Ιανουαρίου,Φεβρουαρίου,Μαρτίου,Απριλίου,Μαΐου,Ιουνίου,Ιουλίου,Αυγούστου,Σεπτεμβρίου,Οκτωβρίου,Νοεμβρίου,Δεκεμβρίου
        en en-Latn|,|.|3|%B %d, %y|January,February,March,April,May,June,July,August,September,October,November,December
        en-001 en-150 en-AE en-AG en-AI en-AU en-BB en-BM en-BS en-CC en-CK en-CM en-CX en-CY en-DG en-DM en-ER en-FJ en-FK en-FM en-GB en-GD en-GG en-GH en-GI en-GM en-GS en-GY en-HK en-IE en-IL en-IM en-IO en-JE en-JM en-KE en-KI en-KN en-KY en-LC en-LR en-LS en-MG en-MO en-MS en-MU en-MV en-MW en-MY en-NA en-NF en-NG en-NR en-NU en-NZ en-PG en-PK en-PN en-PW en-RW en-SB en-SC en-SD en-SG en-SH en-SL en-SS en-SX en-SZ en-TC en-TK en-TO en-TT en-TV en-TZ en-UG en-VC en-VG en-VU en-WS en-ZM|,|.|3|%d %B %y|January,February,March,April,May,June,July,August,September,October,November,December
        en-AT en-BE en-DE en-DK en-ES en-ID en-IT en-NL en-PL en-RO en-SI|.|,|3|%d %B %y|January,February,March,April,May,June,July,August,September,October,November,December
        en-BW en-BZ en-MT en-ZW|,|.|3|%D %B %y|January,February,March,April,May,June,July,August,September,October,November,December
        en-CH|’|.|3|%d %B %y|January,February,March,April,May,June,July,August,September,October,November,December
        en-CZ en-FI en-HU en-NO en-PT en-SE en-SK|\u{A0}|,|3|%d %B %y|January,February,March,April,May,June,July,August,September,October,November,December
        en-FR|\u{202F}|,|3|%d %B %y|January,February,March,April,May,June,July,August,September,October,November,December
        en-IN|,|.|2|%d %B %y|January,February,March,April,May,June,July,August,September,October,November,December
        en-ZA|\u{A0}|,|3|%D %B %y|January,February,March,April,May,June,July,August,September,October,November,December
        es es-Latn|.|,|3|%d de %B de %y|enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre
        es-419 es-BR es-BZ es-CU es-DO es-GT es-MX es-NI es-PA es-PR es-SV es-US|,|.|3|%d de %B de %y|enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre
        es-CR|\u{A0}|,|3|%d de %B de %y|enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre
        es-HN|,|.|3|%D de %B de %y|enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre
        es-PE|,|.|3|%d de %B de %y|enero,febrero,marzo,abril,mayo,junio,julio,agosto,setiembre,octubre,noviembre,diciembre
        es-UY|.|,|3|%d de %B de %y|enero,febrero,marzo,abril,mayo,junio,julio,agosto,setiembre,octubre,noviembre,diciembre
        et et-Latn|\u{A0}|,|3|%d. %B %y|jaanuar,veebruar,märts,aprill,mai,juuni,juuli,august,september,oktoober,november,detsember
        eu eu-Latn|.|,|3|%y(e)ko %Bren %d(a)|urtarrila,otsaila,martxoa,apirila,maiatza,ekaina,uztaila,abuztua,iraila,urria,azaroa,abendua
        fa fa-Arab|,|.|3|%d %B %y|ژانویهٔ,فوریهٔ,مارس,آوریل,مهٔ,ژوئن,ژوئیهٔ,اوت,سپتامبر,اکتبر,نوامبر,دسامبر
        fa-AF|,|.|3|%d %B %y|جنوری,فبروری,مارچ,اپریل,می,جون,جولای,اگست,سپتمبر,اکتوبر,نومبر,دسمبر
        fi fi-Latn|\u{A0}|,|3|%d. %B %y|tammikuuta,helmikuuta,maaliskuuta,huhtikuuta,toukokuuta,kesäkuuta,heinäkuuta,elokuuta,syyskuuta,lokakuuta,marraskuuta,joulukuuta
        fil fil-Latn|,|.|3|%B %d, %y|Enero,Pebrero,Marso,Abril,Mayo,Hunyo,Hulyo,Agosto,Setyembre,Oktubre,Nobyembre,Disyembre
        fr fr-Latn|\u{202F}|,|3|%d %B %y|janvier,février,mars,avril,mai,juin,juillet,août,septembre,octobre,novembre,décembre
        fr-CA|\u{A0}|,|3|%d %B %y|janvier,février,mars,avril,mai,juin,juillet,août,septembre,octobre,novembre,décembre
        fr-LU|.|,|3|%d %B %y|janvier,février,mars,avril,mai,juin,juillet,août,septembre,octobre,novembre,décembre
        ga ga-Latn|,|.|3|%d %B %y|Eanáir,Feabhra,Márta,Aibreán,Bealtaine,Meitheamh,Iúil,Lúnasa,Meán Fómhair,Deireadh Fómhair,Samhain,Nollaig
        gl gl-Latn|.|,|3|%d de %B de %y|xaneiro,febreiro,marzo,abril,maio,xuño,xullo,agosto,setembro,outubro,novembro,decembro
        gu gu-Gujr|,|.|2|%d %B, %y|જાન્યુઆરી,ફેબ્રુઆરી,માર્ચ,એપ્રિલ,મે,જૂન,જુલાઈ,ઑગસ્ટ,સપ્ટેમ્બર,ઑક્ટોબર,નવેમ્બર,ડિસેમ્બર
        ha ha-Latn|,|.|3|%d %B, %y|Janairu,Faburairu,Maris,Afirilu,Mayu,Yuni,Yuli,Agusta,Satumba,Oktoba,Nuwamba,Disamba
        he he-Hebr|,|.|3|%d ב%B %y|ינואר,פברואר,מרץ,אפריל,מאי,יוני,יולי,אוגוסט,ספטמבר,אוקטובר,נובמבר,דצמבר
        hi hi-Deva|,|.|2|%d %B %y|जनवरी,फ़रवरी,मार्च,अप्रैल,मई,जून,जुलाई,अगस्त,सितंबर,अक्टूबर,नवंबर,दिसंबर
        hi-Latn|,|.|2|%d %B, %y|January,February,March,April,May,June,July,August,September,October,November,December
        hr hr-Latn|.|,|3|%d. %B %y.|siječnja,veljače,ožujka,travnja,svibnja,lipnja,srpnja,kolovoza,rujna,listopada,studenoga,prosinca
        hu hu-Latn|\u{A0}|,|3|%y. %B %d.|január,február,március,április,május,június,július,augusztus,szeptember,október,november,december
        hy hy-Armn|\u{A0}|,|3|%D %B, %y թ.|հունվարի,փետրվարի,մարտի,ապրիլի,մայիսի,հունիսի,հուլիսի,օգոստոսի,սեպտեմբերի,հոկտեմբերի,նոյեմբերի,դեկտեմբերի
        id id-Latn jv jv-Latn|.|,|3|%d %B %y|Januari,Februari,Maret,April,Mei,Juni,Juli,Agustus,September,Oktober,November,Desember
        ig ig-Latn|,|.|3|%d %B %y|Jenụwarị,Febrụwarị,Maachị,Epreel,Mee,Jun,Julaị,Ọgọọst,Septemba,Ọktoba,Novemba,Disemba
        is is-Latn|.|,|3|%d. %B %y|janúar,febrúar,mars,apríl,maí,júní,júlí,ágúst,september,október,nóvember,desember
        it it-Latn|.|,|3|%d %B %y|gennaio,febbraio,marzo,aprile,maggio,giugno,luglio,agosto,settembre,ottobre,novembre,dicembre
        it-CH|’|.|3|%d %B %y|gennaio,febbraio,marzo,aprile,maggio,giugno,luglio,agosto,settembre,ottobre,novembre,dicembre
        ja ja-Jpan zh-Hant|,|.|3|%y年%m月%d日|1月,2月,3月,4月,5月,6月,7月,8月,9月,10月,11月,12月
        ka ka-Geor|\u{A0}|,|3|%d %B, %y|იანვარი,თებერვალი,მარტი,აპრილი,მაისი,ივნისი,ივლისი,აგვისტო,სექტემბერი,ოქტომბერი,ნოემბერი,დეკემბერი
        kk kk-Cyrl|\u{A0}|,|3|%y\u{202F}ж. %d %B|қаңтар,ақпан,наурыз,сәуір,мамыр,маусым,шілде,тамыз,қыркүйек,қазан,қараша,желтоқсан
        km km-Khmr|,|.|3|%d %B %y|មករា,កុម្ភៈ,មីនា,មេសា,ឧសភា,មិថុនា,កក្កដា,សីហា,កញ្ញា,តុលា,វិច្ឆិកា,ធ្នូ
        kn kn-Knda|,|.|3|%B %d, %y|ಜನವರಿ,ಫೆಬ್ರವರಿ,ಮಾರ್ಚ್,ಏಪ್ರಿಲ್,ಮೇ,ಜೂನ್,ಜುಲೈ,ಆಗಸ್ಟ್,ಸೆಪ್ಟೆಂಬರ್,ಅಕ್ಟೋಬರ್,ನವೆಂಬರ್,ಡಿಸೆಂಬರ್
        ko ko-Kore|,|.|3|%y년 %B %d일|1월,2월,3월,4월,5월,6월,7월,8월,9월,10월,11월,12월
        ky ky-Cyrl|\u{A0}|,|3|%y-ж., %d-%B|январь,февраль,март,апрель,май,июнь,июль,август,сентябрь,октябрь,ноябрь,декабрь
        lo lo-Laoo|.|,|3|%d %B %y|ມັງກອນ,ກຸມພາ,ມີນາ,ເມສາ,ພຶດສະພາ,ມິຖຸນາ,ກໍລະກົດ,ສິງຫາ,ກັນຍາ,ຕຸລາ,ພະຈິກ,ທັນວາ
        lt lt-Latn|\u{A0}|,|3|%y m. %B %d d.|sausio,vasario,kovo,balandžio,gegužės,birželio,liepos,rugpjūčio,rugsėjo,spalio,lapkričio,gruodžio
        lv lv-Latn|\u{A0}|,|3|%y. gada %d. %B|janvāris,februāris,marts,aprīlis,maijs,jūnijs,jūlijs,augusts,septembris,oktobris,novembris,decembris
        mk mk-Cyrl|.|,|3|%d %B %y\u{202F}г.|јануари,февруари,март,април,мај,јуни,јули,август,септември,октомври,ноември,декември
        ml ml-Mlym|,|.|2|%y, %B %d|ജനുവരി,ഫെബ്രുവരി,മാർച്ച്,ഏപ്രിൽ,മേയ്,ജൂൺ,ജൂലൈ,ഓഗസ്റ്റ്,സെപ്റ്റംബർ,ഒക്\u{200C}ടോബർ,നവംബർ,ഡിസംബർ
        mn mn-Cyrl|,|.|3|%y\u{202F}оны %Bын %d|нэгдүгээр сар,хоёрдугаар сар,гуравдугаар сар,дөрөвдүгээр сар,тавдугаар сар,зургаадугаар сар,долоодугаар сар,наймдугаар сар,есдүгээр сар,аравдугаар сар,арван нэгдүгээр сар,арван хоёрдугаар сар
        mr mr-Deva|,|.|2|%d %B, %y|जानेवारी,फेब्रुवारी,मार्च,एप्रिल,मे,जून,जुलै,ऑगस्ट,सप्टेंबर,ऑक्टोबर,नोव्हेंबर,डिसेंबर
        ms ms-Latn|,|.|3|%d %B %y|Januari,Februari,Mac,April,Mei,Jun,Julai,Ogos,September,Oktober,November,Disember
        ms-BN ms-ID|.|,|3|%d %B %y|Januari,Februari,Mac,April,Mei,Jun,Julai,Ogos,September,Oktober,November,Disember
        my my-Mymr|,|.|3|%y %B %d|ဇန်နဝါရီ,ဖေဖော်ဝါရီ,မတ်,ဧပြီ,မေ,ဇွန်,ဇူလိုင်,ဩဂုတ်,စက်တင်ဘာ,အောက်တိုဘာ,နိုဝင်ဘာ,ဒီဇင်ဘာ
        nb nb-Latn nn nn-Latn|\u{A0}|,|3|%d. %B %y|januar,februar,mars,april,mai,juni,juli,august,september,oktober,november,desember
        ne ne-Deva|,|.|2|%y %B %d|जनवरी,फेब्रुअरी,मार्च,अप्रिल,मे,जुन,जुलाई,अगस्ट,सेप्टेम्बर,अक्टोबर,नोभेम्बर,डिसेम्बर
        nl nl-Latn|.|,|3|%d %B %y|januari,februari,maart,april,mei,juni,juli,augustus,september,oktober,november,december
        or or-Orya|,|.|2|%B %d, %y|ଜାନୁଆରୀ,ଫେବୃଆରୀ,ମାର୍ଚ୍ଚ,ଅପ୍ରେଲ,ମଇ,ଜୁନ,ଜୁଲାଇ,ଅଗଷ୍ଟ,ସେପ୍ଟେମ୍ବର,ଅକ୍ଟୋବର,ନଭେମ୍ବର,ଡିସେମ୍ବର
        pa pa-Guru|,|.|2|%d %B %y|ਜਨਵਰੀ,ਫ਼ਰਵਰੀ,ਮਾਰਚ,ਅਪ੍ਰੈਲ,ਮਈ,ਜੂਨ,ਜੁਲਾਈ,ਅਗਸਤ,ਸਤੰਬਰ,ਅਕਤੂਬਰ,ਨਵੰਬਰ,ਦਸੰਬਰ
        pa-Arab|,|.|3|%d %B %y|جنوری,فروری,مارچ,اپریل,مئ,جون,جولائی,اگست,ستمبر,اکتوبر,نومبر,دسمبر
        pl pl-Latn|\u{A0}|,|3|%d %B %y|stycznia,lutego,marca,kwietnia,maja,czerwca,lipca,sierpnia,września,października,listopada,grudnia
        ps ps-Arab|.|,|3|%y %B %d|جنوري,فبروري,مارچ,اپریل,مۍ,جون,جولای,اګست,سېپتمبر,اکتوبر,نومبر,دسمبر
        pt pt-Latn|.|,|3|%d de %B de %y|janeiro,fevereiro,março,abril,maio,junho,julho,agosto,setembro,outubro,novembro,dezembro
        pt-AO pt-CH pt-CV pt-GQ pt-GW pt-LU pt-MO pt-MZ pt-PT pt-ST pt-TL|\u{A0}|,|3|%d de %B de %y|janeiro,fevereiro,março,abril,maio,junho,julho,agosto,setembro,outubro,novembro,dezembro
        ro ro-Latn|.|,|3|%d %B %y|ianuarie,februarie,martie,aprilie,mai,iunie,iulie,august,septembrie,octombrie,noiembrie,decembrie
        ru ru-Cyrl|\u{A0}|,|3|%d %B %y\u{202F}г.|января,февраля,марта,апреля,мая,июня,июля,августа,сентября,октября,ноября,декабря
        sd sd-Arab|,|.|3|%y %B %d|جنوري,فيبروري,مارچ,اپريل,مئي,جون,جولاءِ,آگسٽ,سيپٽمبر,آڪٽوبر,نومبر,ڊسمبر
        si si-Sinh|,|.|3|%y %B %d|ජනවාරි,පෙබරවාරි,මාර්තු,අප්\u{200D}රේල්,මැයි,ජූනි,ජූලි,අගෝස්තු,සැප්තැම්බර්,ඔක්තෝබර්,නොවැම්බර්,දෙසැම්බර්
        sk sk-Latn|\u{A0}|,|3|%d. %B %y|januára,februára,marca,apríla,mája,júna,júla,augusta,septembra,októbra,novembra,decembra
        sl sl-Latn|.|,|3|%d. %B %y|januar,februar,marec,april,maj,junij,julij,avgust,september,oktober,november,december
        so so-Latn|,|.|3|%B %d, %y|Janaayo,Febraayo,Maarso,Abriil,Maayo,Juun,Luulyo,Agosto,Sebtembar,Oktoobar,Noofeembar,Diseembar
        sq sq-Latn|\u{A0}|,|3|%d %B %y|janar,shkurt,mars,prill,maj,qershor,korrik,gusht,shtator,tetor,nëntor,dhjetor
        sr sr-Cyrl|.|,|3|%d. %B %y.|јануар,фебруар,март,април,мај,јун,јул,август,септембар,октобар,новембар,децембар
        sr-Latn|.|,|3|%d. %B %y.|januar,februar,mart,april,maj,jun,jul,avgust,septembar,oktobar,novembar,decembar
        sv sv-Latn|\u{A0}|,|3|%d %B %y|januari,februari,mars,april,maj,juni,juli,augusti,september,oktober,november,december
        sw sw-Latn|,|.|3|%d %B %y|Januari,Februari,Machi,Aprili,Mei,Juni,Julai,Agosti,Septemba,Oktoba,Novemba,Desemba
        sw-CD|.|,|3|%d %B %y|Januari,Februari,Machi,Aprili,Mei,Juni,Julai,Agosti,Septemba,Oktoba,Novemba,Desemba
        ta ta-Taml|,|.|2|%d %B, %y|ஜனவரி,பிப்ரவரி,மார்ச்,ஏப்ரல்,மே,ஜூன்,ஜூலை,ஆகஸ்ட்,செப்டம்பர்,அக்டோபர்,நவம்பர்,டிசம்பர்
        ta-MY ta-SG|,|.|3|%d %B, %y|ஜனவரி,பிப்ரவரி,மார்ச்,ஏப்ரல்,மே,ஜூன்,ஜூலை,ஆகஸ்ட்,செப்டம்பர்,அக்டோபர்,நவம்பர்,டிசம்பர்
        te te-Telu|,|.|2|%d %B, %y|జనవరి,ఫిబ్రవరి,మార్చి,ఏప్రిల్,మే,జూన్,జులై,ఆగస్టు,సెప్టెంబర్,అక్టోబర్,నవంబర్,డిసెంబర్
        th th-Thai|,|.|3|%d %B ค.ศ. %y|มกราคม,กุมภาพันธ์,มีนาคม,เมษายน,พฤษภาคม,มิถุนายน,กรกฎาคม,สิงหาคม,กันยายน,ตุลาคม,พฤศจิกายน,ธันวาคม
        tk tk-Latn|\u{A0}|,|3|%d %B %y|ýanwar,fewral,mart,aprel,maý,iýun,iýul,awgust,sentýabr,oktýabr,noýabr,dekabr
        tr tr-Latn|.|,|3|%d %B %y|Ocak,Şubat,Mart,Nisan,Mayıs,Haziran,Temmuz,Ağustos,Eylül,Ekim,Kasım,Aralık
        uk uk-Cyrl|\u{A0}|,|3|%d %B %y\u{202F}р.|січня,лютого,березня,квітня,травня,червня,липня,серпня,вересня,жовтня,листопада,грудня
        ur ur-Arab|,|.|3|%d %B، %y|جنوری,فروری,مارچ,اپریل,مئی,جون,جولائی,اگست,ستمبر,اکتوبر,نومبر,دسمبر
        uz uz-Latn|\u{A0}|,|3|%d-%B, %y|yanvar,fevral,mart,aprel,may,iyun,iyul,avgust,sentabr,oktabr,noyabr,dekabr
        uz-Cyrl|\u{A0}|,|3|%d %B, %y|январ,феврал,март,апрел,май,июн,июл,август,сентябр,октябр,ноябр,декабр
        vi vi-Latn|.|,|3|%d %B, %y|tháng 1,tháng 2,tháng 3,tháng 4,tháng 5,tháng 6,tháng 7,tháng 8,tháng 9,tháng 10,tháng 11,tháng 12
        yi yi-Hebr|,|.|3|%dטן %B %y|יאַנואַר,פֿעברואַר,מערץ,אַפּריל,מיי,יוני,יולי,אויגוסט,סעפּטעמבער,אקטאבער,נאוועמבער,דעצעמבער
        zh|,|.|3|%y年%m月%d日|一月,二月,三月,四月,五月,六月,七月,八月,九月,十月,十一月,十二月
        zu zu-Latn|,|.|3|%B %d, %y|Januwari,Februwari,Mashi,Ephreli,Meyi,Juni,Julayi,Agasti,Septhemba,Okthoba,Novemba,Disemba
        """
}
